export { dbusScan } from './messages'
export { dbusName } from './names'
export { dbusSignature } from './signature'
export { dbusWalk } from './walk'
