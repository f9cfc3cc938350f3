# A small repository, one file of it replaced, and a command of git in it.
{
    git init -q repository && cd repository
    git config user.name a && git config user.email a@example.com
    mkdir d && printf 'one\ntwo\n' >f && printf 'x\n' >d/g && ln -s f l && printf '*.o\n!k.o\n' >.gitignore
    git add . && git commit -qm 'first' && git tag -am 'a tag' v1
    git checkout -q -b side && printf 'one\n2\nthree\n' >f && git commit -qam 'second'
    git checkout -q master && git mv d/g d/h && printf 'y\n' >>d/h && git commit -qam 'third'
    printf 'four\n' >>f && printf 'z\n' >new && git add new
} >/dev/null 2>&1
place=$(cat ../place)
mkdir -p ".git/${place%/*}" 2>/dev/null
case $place in
    pack)
        mkdir -p .git/objects/pack
        cat ../content >.git/objects/pack/pack-a.pack
        cat ../more >.git/objects/pack/pack-a.idx ;;
    *)
        rm -rf ".git/$place"
        cat ../content >".git/$place"
        cat ../more >.gitattributes ;;
esac
set -f
git $(cat ../words)
