"""A device made with katcp-python. Prints its port as JSON, and ends when its standard input does."""

import json
import logging
import sys

from katcp import DeviceServer, Message, Sensor

logging.basicConfig(level=logging.CRITICAL)
# katcp-python writes each message to its log, and dies where the arguments are no UTF-8.
Message.__str__ = lambda self: bytes(self).decode("latin-1")

SENSORS = [
    (Sensor.integer("count", "A sensor, with blanks", "", [0, 2**60]), 9007199254740993),
    (Sensor.float("temperature", "A sensor, with blanks", "", [-40.0, 60.0]), -0.1),
    (Sensor.boolean("alive", "A sensor, with blanks"), True),
    (Sensor.discrete("mode", "A sensor, with blanks", "", ["stop", "track", "slew-to"]), "stop"),
    (Sensor.timestamp("last-sync", "A sensor, with blanks"), 1427043968.954988),
    (Sensor.address("peer", "A sensor, with blanks"), ("2001:db8::1", 7148)),
    (Sensor.string("note", "A sensor, with blanks"), "café \\ naïve"),
]


class Server(DeviceServer):
    VERSION_INFO = ("wiretape-peer", 1, 0)
    BUILD_INFO = ("wiretape-peer", 1, 0, "")

    def setup_sensors(self):
        self.gains = {}
        for sensor, value in SENSORS:
            sensor.set(1500000000.25, Sensor.NOMINAL, value)
            self.add_sensor(sensor)

    def request_echo(self, req, msg):
        """Send all arguments back in an inform."""
        req.inform(*msg.arguments)
        return req.make_reply("ok", str(len(msg.arguments)))

    def request_gain(self, req, msg):
        """Set and read gains."""
        name, values = msg.arguments[0], msg.arguments[1:]
        if values:
            self.gains[name] = [complex(value.decode()) for value in values]
        texts = ["{0.real!r}{0.imag:+}j".format(value) for value in self.gains[name]]
        return req.make_reply("ok", *texts)

    def request_set_sensor(self, req, msg):
        """Set a sensor."""
        name, value = [argument.decode() for argument in msg.arguments]
        sensor = self.get_sensor(name)
        sensor.set(1500000001.5, Sensor.NOMINAL, sensor.parse_value(value.encode()))
        return req.make_reply("ok")

    def request_tell(self, req, msg):
        """Send an inform to all clients."""
        self.mass_inform(Message.inform(msg.arguments[0].decode(), *msg.arguments[1:]))
        return req.make_reply("ok")

    def request_boom(self, req, msg):
        """Always fail."""
        return req.make_reply("fail", "It did not work, sorry.\nTry again")


server = Server("127.0.0.1", 0)
server.start(timeout=30)
print(json.dumps({"port": server.bind_address[1]}), flush=True)
sys.stdin.read()
server.stop()
server.join(timeout=30)
