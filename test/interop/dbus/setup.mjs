// Installs a message bus, the tools that speak to it, and libdbus for the differential runs: `npm run setup:peers`. Does nothing where they are there.
import { spawnSync } from 'node:child_process'

const there = () =>
  [['dbus-daemon', '--version'], ['dbus-send'], ['gdbus', 'help'], ['busctl', '--version']].every(
    ([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).error === undefined,
  ) && spawnSync('pkg-config', ['--exists', 'dbus-1'], { stdio: 'ignore' }).status === 0

if (there()) console.log('a message bus is installed')
else {
  const packages = ['dbus', 'dbus-bin', 'libglib2.0-bin', 'systemd', 'libdbus-1-dev', 'pkg-config']
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { status } = spawnSync('apt-get', args, {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    if (status !== 0) process.exit(status ?? 1)
  }
  if (!there()) process.exit(1)
}
