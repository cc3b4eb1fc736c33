/**
 * Puts other data into a server-sent event; everything else it says stays as it is.
 *
 * @example
 * withData(Buffer.from('event: a\ndata: 1\nid: 7\n\n'), '2').toString() // 'event: a\ndata: 2\nid: 7\n\n'
 */
export const withData = (event: Buffer, data: string): Buffer => {
  let text = ''
  let isWritten = false
  for (const line of event.toString('utf8').split(lineEnds)) {
    const end = /[\r\n]+$/.exec(line)?.[0] ?? ''
    if (!isData(line, end)) text += line
    else if (!isWritten) {
      isWritten = true
      text += data
        .split(/\r\n|\r|\n/)
        .map((part) => `data: ${part}${end || '\n'}`)
        .join('')
      if (end === '') text = text.slice(0, -1)
    }
  }
  return Buffer.from(text)
}

const isData = (line: string, end: string): boolean => {
  // The first line of a stream may begin with a byte order mark.
  const said = line.startsWith('\uFEFF') ? line.slice(1) : line
  return said.startsWith('data:') || said.slice(0, said.length - end.length) === 'data'
}

const lineEnds = /(?<=\n|\r(?!\n))/
