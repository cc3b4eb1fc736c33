import { createRequire } from 'node:module'

/** What knows which phone numbers exist. */
export interface PhoneLibrary {
  readonly parse: typeof import('libphonenumber-js/core').parsePhoneNumberFromString
  /** The smaller sets know how long numbers are, but not which of them exist: any seven digits would do. */
  readonly plans: typeof import('libphonenumber-js/max/metadata').default
}

/** Loads the library at the first call, which takes 40 ms and 2 MB: ask for it when a guard is made, not when it guards. */
export const phoneLibrary = (): PhoneLibrary => (loaded ??= load())

let loaded: PhoneLibrary | undefined

const load = (): PhoneLibrary => {
  const require = createRequire(import.meta.url)
  const { parsePhoneNumberFromString } =
    require('libphonenumber-js/core') as typeof import('libphonenumber-js/core')
  return {
    parse: parsePhoneNumberFromString,
    plans: require('libphonenumber-js/max/metadata') as PhoneLibrary['plans'],
  }
}
