import { TextMember } from './text-member.ts'

/** A text in base64, bare or in a `data:` URL. */
export class EncodedText extends TextMember {
  protected override read(value: string): string {
    return Buffer.from(value.slice(beginOf(value)), 'base64').toString('utf8')
  }

  protected override written(text: string, before: string): string {
    return before.slice(0, beginOf(before)) + Buffer.from(text, 'utf8').toString('base64')
  }
}

/** Whether a media type is textual. */
export const isTextual = (mediaType: unknown): boolean =>
  typeof mediaType === 'string' && textualType.test(mediaType)

/** Whether a URL is a `data:` URL that contains a text in base64. */
export const isTextualUrl = (url: string): boolean => textualUrl.test(url.slice(0, 128))

/** Whether a file extension, such as `md`, is that of a textual format. */
export const isTextualFormat = (format: unknown): boolean =>
  typeof format === 'string' && textualFormats.has(format.toLowerCase())

const textualType = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|sql))/i
const textualUrl =
  /^data:(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|sql))[^,]*;base64,/i
const textualFormats: ReadonlySet<string> = new Set(['txt', 'md', 'csv', 'html', 'json', 'xml'])

const beginOf = (value: string): number => (value.startsWith('data:') ? value.indexOf(',') + 1 : 0)
