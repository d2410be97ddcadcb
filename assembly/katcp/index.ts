export { katcpEscape } from './encode'
export { katcpDiagnose, katcpUnescape } from './escapes'
export { katcpScan } from './lines'
export { katcpComplexes, katcpFloats } from './numbers'
