/** The media type of an audio format's short name, such as `wav` or `mp3`. */
export const audioTypeOf = (format: string): string => (format === 'pcm16' ? 'audio/pcm' : `audio/${format}`)

/** The short name of an audio media type. */
export const audioFormatOf = (mediaType: string): string => {
  const [name = ''] = mediaType.slice('audio/'.length).split(';')
  return name === 'mpeg' ? 'mp3' : name === 'x-wav' ? 'wav' : name
}
