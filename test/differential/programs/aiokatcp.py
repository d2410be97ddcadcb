"""aiokatcp's parser, katcp-codec: reads lines of KATCP in hexadecimal digits, answers each with what it makes of it."""

import sys

from katcp_codec import Parser

parser = Parser(1 << 24)
for given in sys.stdin:
    found = parser.append(bytes.fromhex(given) + b"\n")
    if not found:
        print("blank")
    elif isinstance(found[0], Exception):
        print("error")
    else:
        message = found[0]
        mid = "-" if message.mid is None else str(message.mid)
        args = " ".join(bytes(arg).hex() for arg in message.arguments)
        print(f"ok {'?!#'[message.mtype.value - 1]}{message.name.decode()} {mid} {args}".rstrip())
