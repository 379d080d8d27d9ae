"""`python -m wavepipe …` is the program `wavepipe`, with the driver that lies beside it."""

import os
import sys

from wavepipe import program

os.execv(program(), ["wavepipe", *sys.argv[1:]])
