/** `ImageFormat` of a media type; undefined if Bedrock does not support it. */
export const imageFormatOf = (mediaType: string): string | undefined => {
  const format = mediaType === 'image/jpg' ? 'jpeg' : mediaType.slice('image/'.length)
  return imageFormats.has(format) ? format : undefined
}

/** `DocumentFormat` of a media type; undefined if Bedrock does not support it. */
export const documentFormatOf = (mediaType: string): string | undefined =>
  documentFormats.get(mediaType.split(';', 1)[0] ?? '')

/** The media type of a `DocumentFormat`. */
export const documentTypeOf = (format: string): string =>
  documentTypes.get(format) ?? 'application/octet-stream'

/** `AudioFormat` of an audio format's short name. */
export const audioFormatOf = (format: string): string => (format === 'pcm16' ? 'pcm' : format)

const imageFormats = new Set(['png', 'jpeg', 'gif', 'webp'])

const documentFormats = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])

const documentTypes = new Map([...documentFormats].map(([type, format]) => [format, type]))
