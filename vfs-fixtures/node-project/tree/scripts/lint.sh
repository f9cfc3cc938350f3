#!/bin/sh
exec bin/eslint src
