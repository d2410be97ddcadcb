import * as portable from '../../assembly/hds/index'
import { coresOf, scriptCoreOf } from '../engine/load'

/** The kernels of the backend that is best for so many bytes. */
export const selectCore = coresOf(portable)

/** The JavaScript kernels, for what is larger than linear memory may grow. */
export const scriptCore = () => scriptCoreOf(portable)

/** Above this, a payload's memory is given back after the call. */
export const LARGE = 0x100000
