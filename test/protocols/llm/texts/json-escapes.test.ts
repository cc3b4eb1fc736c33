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

test('the escapes of nested JSON are decoded', async (t) => {
  await t.test('for letters and blanks', () => {
    assert.equal(shown(String.raw`{"a":"M\u00fcller\n123\t\/"}`), '{"a":"Müller\n123\t/"}')
    assert.equal(shown(String.raw`["\ud83d\uDE00"]`), '["😀"]')
  })

  await t.test('without changing where strings end', () => {
    const json = String.raw`{"a":"say \"hi\" \u0022 \\n \u005cn"}`
    assert.equal(shown(json), String.raw`{"a":"say \"hi\" \" \\n \\n"}`)
    assert.deepEqual(JSON.parse(writtenJson(shown(json), false)), JSON.parse(json))
  })

  await t.test('wherever it is split into pieces', () => {
    const json = String.raw`{"a\n":"M\u00fcller\\","b": ["\"\ud83d\ude00", -1.5e3, null]}`
    for (let cut = 0; cut <= json.length; cut++)
      for (let next = cut; next <= json.length; next++) {
        const pieces = [json.slice(0, cut), json.slice(cut, next), json.slice(next)]
        assert.equal(inPieces(pieces).join(''), shown(json), pieces.join('|'))
      }
  })

  await t.test('except invalid ones', () => {
    for (const odd of [String.raw`{"a":"\uZZ"}`, String.raw`{"a":"\x"}`, String.raw`\n{}`, '"\\'])
      assert.equal(inPieces(odd.split('')).join(''), odd.replace(/\\$/, ''))
  })
})

test('decoded texts are encoded as JSON again', async (t) => {
  await t.test('with all necessary escapes', () => {
    for (const json of [
      String.raw`{"a":"one\ntwo\u0001","b":[1,true,null,"\\"]}`,
      '{\n  "a" : "b"\n}',
      '[]',
      '{"a":-1.5e+3}',
    ])
      assert.deepEqual(JSON.parse(writtenJson(shown(json), false)), JSON.parse(json))
  })

  await t.test('with a masked number as a string', () => {
    assert.deepEqual(JSON.parse(writtenJson('{"n":<SSN>,"l":[<SSN>, 2],"o":{"p": <"A">}}', false)), {
      n: '<SSN>',
      l: ['<SSN>', 2],
      o: { p: '<"A">' },
    })
  })

  await t.test('also if a mask removed one of two backslashes', () => {
    assert.deepEqual(JSON.parse(writtenJson(String.raw`{"a":"\<masked>"}`, false)), { a: '\\<masked>' })
  })
})
