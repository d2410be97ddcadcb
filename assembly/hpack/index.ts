export { hpackDecode, hpackUnfinished } from './decode'
export { hpackEncode, hpackHuffmanDecode, hpackHuffmanEncode } from './encode'
