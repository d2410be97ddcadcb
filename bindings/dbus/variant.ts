import { type JsonForm, jsonForm } from '../core/json_form'
import { dbusError } from './errors'
import type { ValueOf } from './infer'
import { checkedType } from './signature'

/** A value with its type: what a VARIANT holds. `variant('u', 5)`. */
export class Variant<S extends string = string, V = ValueOf<S>> {
  /** One complete type. */
  readonly signature: S
  /** The value, as that type is read with the options of the Decoder. */
  readonly value: V

  /** @internal Use `variant`, which checks the signature. */
  constructor(signature: S, value: V) {
    this.signature = signature
    this.value = value
  }

  /** The value, known to be of that type with the default options. Throws WT_DBUS_SIGNATURE where it is of another type. */
  as<T extends string>(signature: T): ValueOf<T> {
    if ((this.signature as string) !== signature) {
      throw dbusError('signature', { detail: `the variant has '${this.signature}', not '${signature}'` })
    }
    return this.value as unknown as ValueOf<T>
  }

  /** @internal What `toJson` writes. */
  [jsonForm](): JsonForm {
    return { tag: 'variant', value: { signature: this.signature, value: this.value } }
  }
}

/**
 * A variant to be written. Throws a WireError (WT_DBUS_SIG_…) where the signature is not one complete type; whether the value
 * fits it shows when it is encoded.
 */
export function variant<const S extends string>(signature: S, value: ValueOf<S>): Variant<S> {
  checkedType(signature, 'signature')
  return new Variant(signature, value)
}
