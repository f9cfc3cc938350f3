sleep 0.1
