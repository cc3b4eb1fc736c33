/** The type of a sound for a format by its short name, such as `wav` or `mp3`. */
export const audioTypeOf = (format: string): string => (format === 'pcm16' ? 'audio/pcm' : `audio/${format}`)

/** The short name of a type of sound. */
export const audioFormatOf = (mediaType: string): string => {
  const [name = ''] = mediaType.slice('audio/'.length).split(';')
  return name === 'mpeg' ? 'mp3' : name === 'x-wav' ? 'wav' : name
}

/** The type of what is behind a URL, by the ending of its path; undefined if it does not tell. */
export const mediaTypeOfUrl = (url: string): string | undefined => {
  const [path = ''] = url.split(/[?#]/, 1)
  return mediaTypes.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

const mediaTypes = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
])
