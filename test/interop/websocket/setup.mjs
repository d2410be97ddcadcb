// Installs the WebSocket peers: those of requirements.txt, and Chromium. `npm run setup:peers`.
import { debian, pythonPeers, quietly } from '../../../scripts/peers.mjs'

pythonPeers('websocket', 'aiohttp, websockets', [[3, 10]])

const browsers = [process.env['CHROMIUM'], 'chromium-headless-shell', 'chromium', 'google-chrome']
if (browsers.some((name) => name !== undefined && quietly(name, '--version'))) console.log('Chromium is installed')
else {
  // Debian has the browser without its windows as a package of its own, as long as it is young.
  quietly('apt-get', 'update')
  const young = quietly('apt-cache', 'show', 'chromium-headless-shell')
  debian(young ? 'chromium-headless-shell' : 'chromium')
}
