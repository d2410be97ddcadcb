// Installs the KATCP peers of requirements.txt: `npm run setup:peers`.
import { pythonPeers } from '../../../scripts/peers.mjs'

// katcp 0.9.3 needs tornado 4, which Python 3.12 can no longer load.
pythonPeers('katcp', 'aiokatcp, katcp', [
  [3, 8],
  [3, 11],
])
