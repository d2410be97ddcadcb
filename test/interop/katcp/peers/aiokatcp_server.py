"""A device made with aiokatcp. Prints its port as JSON, and ends when its standard input does."""

import asyncio
import enum
import ipaddress
import json
import logging
import sys

import aiokatcp
from aiokatcp import Address, FailReply, Sensor, Timestamp

logging.basicConfig(level=logging.CRITICAL)


class Mode(enum.Enum):
    STOP = 0
    TRACK = 1
    SLEW_TO = 2


SENSORS = [
    (int, "count", 9007199254740993),
    (float, "temperature", -0.1),
    (bool, "alive", True),
    (Mode, "mode", Mode.STOP),
    (Timestamp, "last-sync", Timestamp(1427043968.954988)),
    (Address, "peer", Address(ipaddress.ip_address("2001:db8::1"), 7148)),
    (str, "note", "café \\ naïve"),
]


class Server(aiokatcp.DeviceServer):
    VERSION = "wiretape-peer-1.0"
    BUILD_STATE = "wiretape-peer-1.0.0"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.gains = {}
        for stype, name, value in SENSORS:
            sensor = Sensor(stype, name, "A sensor, with blanks", initial_status=Sensor.Status.NOMINAL)
            sensor.set_value(value, timestamp=1500000000.25)
            self.sensors.add(sensor)

    async def request_echo(self, ctx, *args: bytes) -> int:
        """Send all arguments back in an inform."""
        ctx.inform(*args)
        return len(args)

    async def request_gain(self, ctx, name: str, *values: str) -> tuple:
        """Set and read gains."""
        if values:
            self.gains[name] = [complex(value) for value in values]
        return tuple("{0.real!r}{0.imag:+}j".format(value) for value in self.gains[name])

    async def request_set_sensor(self, ctx, name: str, value: bytes) -> None:
        """Set a sensor."""
        sensor = self.sensors[name]
        sensor.set_value(aiokatcp.decode(sensor.stype, value), timestamp=1500000001.5)

    async def request_tell(self, ctx, name: str, *args: bytes) -> None:
        """Send an inform to all clients."""
        self.mass_inform(name, *args)

    async def request_boom(self, ctx) -> None:
        """Always fail."""
        raise FailReply("It did not work, sorry.\nTry again")


async def main():
    server = Server("127.0.0.1", 0)
    await server.start()
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop()


asyncio.run(main())
