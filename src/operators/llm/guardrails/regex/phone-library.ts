/** The library of phone numbers, by itself: it is loaded when a guard needs it. */
export { parsePhoneNumberFromString as parse } from 'libphonenumber-js/core'
/** The smaller sets have the lengths of numbers, but not the valid ranges: any seven digits would match. */
export { default as metadata } from 'libphonenumber-js/max/metadata'
