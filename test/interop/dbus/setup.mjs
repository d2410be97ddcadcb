// Installs a message bus, the tools that speak to it, and libdbus for the differential runs: `npm run setup:peers`. Does nothing where they are there.
import { spawnSync } from 'node:child_process'
import { debian, quietly } from '../../../scripts/peers.mjs'

const there = () =>
  [['dbus-daemon', '--version'], ['dbus-send'], ['gdbus', 'help'], ['busctl', '--version']].every(
    ([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).error === undefined,
  ) && quietly('pkg-config', '--exists', 'dbus-1')

if (there()) console.log('a message bus is installed')
else {
  debian('dbus', 'dbus-bin', 'libglib2.0-bin', 'systemd', 'libdbus-1-dev', 'pkg-config')
  if (!there()) process.exit(1)
}
