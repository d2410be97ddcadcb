"""HAP-python's reader of values: reads values in hexadecimal digits, answers each with what it makes of it."""

import struct
import sys

from pyhap.hds_protocol import _Decoder


def shown(value):
    if value is None:
        return "null"
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value == value and abs(value) != float("inf") and value == int(value) and not (value == 0 and str(value) == "-0.0"):
            # JavaScript does not tell a whole float from an integer.
            return str(int(value)) if abs(value) < 1e21 else "f" + struct.pack(">d", value).hex()
        return "nan" if value != value else "f" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return f"'{value.encode('utf-8').hex()}'"
    if isinstance(value, bytes):
        return f"x{value.hex()}"
    if isinstance(value, list):
        return f"[{' '.join(shown(item) for item in value)}]"
    pairs = sorted(f"{shown(key)}:{shown(item)}" for key, item in value.items())
    return f"{{{' '.join(pairs)}}}"


for given in sys.stdin:
    try:
        decoder = _Decoder(bytes.fromhex(given))
        print(f"ok {shown(decoder.decode())}")
    except Exception:  # Whatever it dies of is a refusal.
        print("error")
