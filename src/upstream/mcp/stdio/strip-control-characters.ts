import { stripVTControlCharacters } from 'node:util'

/** Control characters except tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** @returns The text without colours and control characters, which belong into no log and no message. */
export const stripControlCharacters = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(CONTROLS, '').toWellFormed()
