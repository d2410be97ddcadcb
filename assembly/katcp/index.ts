export { katcpDiagnose, katcpUnescape } from './escapes'
export { katcpScan } from './lines'
