// Installs HAP-python, with what its HDS part needs: `npm run setup:peers`. HAP-NodeJS comes with `npm ci`.
import { pythonPeers } from '../../../scripts/peers.mjs'

pythonPeers('hds', 'pyhap.hds_server', [[3, 10]])
