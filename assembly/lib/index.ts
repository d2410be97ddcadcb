// Every primitive, for the tests: the module that ships exports kernels alone.
export * from './bytes'
export * from './heap'
export * from './intern'
export * from './mem'
export * from './number'
export * from './text'
export * from './words'
export * from './xor'
