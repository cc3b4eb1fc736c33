import { isUtf8 } from 'node:buffer'
import type { BodyRecord, TraceRecord } from '../trace-record.ts'
import { printableLines } from './printable-text.ts'
import { type Line, line, wrapLine } from './span.ts'

/** The bodies of request and response: JSON indented, other text as it is, and the rest in hexadecimal. */
export const bodyLines = ({ bodies }: TraceRecord, columns: number, isTraced: boolean): readonly Line[] => {
  if (bodies.length === 0)
    return isTraced
      ? [line('No body has been seen.', 'dim')]
      : [line('Bodies are not traced. Quit, and start with --bodies to see their first 64 KiB.', 'dim')]
  return bodies.flatMap((body) => [line(headOf(body), 'strong'), ...contentOf(body, columns), []])
}

const headOf = ({ stage, bytes, lengthBytes }: BodyRecord): string =>
  `${stage}: ${String(lengthBytes)} bytes${lengthBytes > bytes.length ? `, the first ${String(bytes.length)}` : ''}`

const contentOf = ({ bytes, lengthBytes }: BodyRecord, columns: number): Line[] => {
  const text = bodyText(bytes, lengthBytes)
  if (text === undefined) return hexLines(bytes)
  return printableLines(indentJson(text)).flatMap((one) => wrapLine(one, columns))
}

/** The text of a body; undefined for other bytes. A body that was cut may end within a character. */
export const bodyText = (bytes: Buffer, lengthBytes: number): string | undefined => {
  const cuts = lengthBytes > bytes.length ? [0, 1, 2, 3] : [0]
  const whole = cuts.map((cut) => bytes.subarray(0, bytes.length - cut)).find((part) => isUtf8(part))
  return whole?.includes(0) ? undefined : whole?.toString()
}

const indentJson = (text: string): string => {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

const hexLines = (bytes: Buffer): Line[] =>
  Array.from({ length: Math.min(Math.ceil(bytes.length / 16), maxHexLines) }, (_, index) => {
    const row = bytes.subarray(index * 16, index * 16 + 16)
    const hex = row.toString('hex').replaceAll(/(..)/g, '$1 ').padEnd(49)
    return line(
      `${(index * 16).toString(16).padStart(5, '0')}  ${hex}${row.toString('latin1').replaceAll(/[^ -~]/g, '.')}`,
    )
  })

const maxHexLines = 256
