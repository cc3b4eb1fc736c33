import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  jsonBegin,
  type JsonPosition,
  readableJson,
  writtenJson,
} from '../../../../src/protocols/llm/texts/json-escapes.ts'

const shown = (json: string): string => readableJson(json, jsonBegin).text

const inPieces = (pieces: readonly string[]): string[] => {
  let at: JsonPosition = jsonBegin
  return pieces.map((piece) => {
    const { text, end } = readableJson(piece, at)
    at = end
    return text
  })
}

test('JSON that is a text is shown without its escapes', async (t) => {
  await t.test('of letters and of blanks', () => {
    assert.equal(shown(String.raw`{"a":"M\u00fcller\n123\t\/"}`), '{"a":"Müller\n123\t/"}')
    assert.equal(shown(String.raw`["\ud83d\uDE00"]`), '["😀"]')
  })

  await t.test('but strings end where they did', () => {
    const json = String.raw`{"a":"say \"hi\" \u0022 \\n \u005cn"}`
    assert.equal(shown(json), String.raw`{"a":"say \"hi\" \" \\n \\n"}`)
    assert.deepEqual(JSON.parse(writtenJson(shown(json), false)), JSON.parse(json))
  })

  await t.test('wherever it is cut into pieces', () => {
    const json = String.raw`{"a\n":"M\u00fcller\\","b": ["\"\ud83d\ude00", -1.5e3, null]}`
    for (let cut = 0; cut <= json.length; cut++)
      for (let next = cut; next <= json.length; next++) {
        const pieces = [json.slice(0, cut), json.slice(cut, next), json.slice(next)]
        assert.equal(inPieces(pieces).join(''), shown(json), pieces.join('|'))
      }
  })

  await t.test('what is no escape stays as it is', () => {
    for (const odd of [String.raw`{"a":"\uZZ"}`, String.raw`{"a":"\x"}`, String.raw`\n{}`, '"\\'])
      assert.equal(inPieces(odd.split('')).join(''), odd.replace(/\\$/, ''))
  })
})

test('what was shown is written as JSON again', async (t) => {
  await t.test('with what else has to be escaped', () => {
    for (const json of [
      String.raw`{"a":"one\ntwo\u0001","b":[1,true,null,"\\"]}`,
      '{\n  "a" : "b"\n}',
      '[]',
      '{"a":-1.5e+3}',
    ])
      assert.deepEqual(JSON.parse(writtenJson(shown(json), false)), JSON.parse(json))
  })

  await t.test('a number that was masked becomes a string', () => {
    assert.deepEqual(JSON.parse(writtenJson('{"n":<SSN>,"l":[<SSN>, 2],"o":{"p": <"A">}}', false)), {
      n: '<SSN>',
      l: ['<SSN>', 2],
      o: { p: '<"A">' },
    })
  })

  await t.test('also if a mask has taken one of two backslashes', () => {
    assert.deepEqual(JSON.parse(writtenJson(String.raw`{"a":"\<masked>"}`, false)), { a: '\\<masked>' })
  })
})
