"""katcp-python: reads lines of KATCP in hexadecimal digits, answers each with what it makes of it."""

import sys

from katcp import MessageParser

parser = MessageParser()
for given in sys.stdin:
    try:
        message = parser.parse(bytes.fromhex(given))
        mid = "-" if message.mid is None else message.mid.decode()
        args = " ".join(arg.hex() for arg in message.arguments)
        sigil = {1: "?", 2: "!", 3: "#"}[{"request": 1, "reply": 2, "inform": 3}[message.TYPE_NAMES[message.mtype].lower()]]
        print(f"ok {sigil}{message.name} {mid} {args}".rstrip())
    except Exception:  # Whatever it dies of is a refusal.
        print("error")
