/** Deterministic text with this many words: sentences of twelve, the first beginning with `Once`. */
export const mockWords = (count: number): string => {
  let text = ''
  for (let i = 0; i < count; i++) {
    const word = words[i % words.length] as string
    const isFirst = i % SENTENCE === 0
    const isLast = i % SENTENCE === SENTENCE - 1 || i === count - 1
    text += `${i === 0 ? '' : ' '}${isFirst ? capital(word) : word}${isLast ? '.' : ''}`
  }
  return text
}

const SENTENCE = 12

const words = (
  'once a quiet lamp beside the harbour kept its light for ships that came home late ' +
  'and every morning someone wrote down how many had passed'
).split(' ')

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
