import { usageError } from '../core/errors'
import { type Bytes, bytesArgument } from '../core/options'
import { hkdf } from './sha512'

/** Which end of the connection: the accessory, a camera for one, or the controller, a home hub. */
export type Role = 'accessory' | 'controller'

/** The keys of a connection, 32 bytes each, the same at both ends. */
export interface Keys {
  /** Seals what the accessory sends. */
  readonly accessoryToController: Uint8Array
  /** Seals what the controller sends. */
  readonly controllerToAccessory: Uint8Array
}

const KEY_BYTES = 32

/** The direction that is read at this end. */
export const readKey = (role: Role, keys: Keys): Uint8Array =>
  role === 'accessory' ? keys.controllerToAccessory : keys.accessoryToController

/** The direction that is written at this end. */
export const writeKey = (role: Role, keys: Keys): Uint8Array =>
  role === 'accessory' ? keys.accessoryToController : keys.controllerToAccessory

export function keyArgument(name: string, key: unknown): asserts key is Uint8Array {
  bytesArgument('hds', name, key)
  if (key.length !== KEY_BYTES) throw usageError('hds', `${name} must have ${KEY_BYTES} bytes`)
}

/** Refuses what are no keys of a connection. */
export function keysArgument(keys: unknown): asserts keys is Keys {
  const { accessoryToController, controllerToAccessory } = Object(keys) as Partial<Keys>
  keyArgument('keys.accessoryToController', accessoryToController)
  keyArgument('keys.controllerToAccessory', controllerToAccessory)
}

const infoOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * The keys of a connection by HKDF-SHA-512: from the shared secret of its HomeKit session (Pair Verify, 32 bytes) and the salts
 * that controller and accessory chose when it was set up (32 bytes each). The same for both roles. Throws WT_USAGE where one is
 * no Uint8Array.
 */
export function deriveKeys(
  secret: Uint8Array,
  controllerKeySalt: Uint8Array,
  accessoryKeySalt: Uint8Array,
): { readonly [K in keyof Keys]: Bytes } {
  bytesArgument('hds', 'secret', secret)
  bytesArgument('hds', 'controllerKeySalt', controllerKeySalt)
  bytesArgument('hds', 'accessoryKeySalt', accessoryKeySalt)
  const salt = new Uint8Array(controllerKeySalt.length + accessoryKeySalt.length)
  salt.set(controllerKeySalt)
  salt.set(accessoryKeySalt, controllerKeySalt.length)
  return {
    // Named as the controller sees them: it reads what the accessory writes.
    accessoryToController: hkdf(secret, salt, infoOf('HDS-Read-Encryption-Key'), KEY_BYTES),
    controllerToAccessory: hkdf(secret, salt, infoOf('HDS-Write-Encryption-Key'), KEY_BYTES),
  }
}
