import type { HostileChoices } from './hostile-choices.ts'

/** A host name, or almost one. */
export const hostname = ({ pick }: HostileChoices): string =>
  pick(
    'a.example.com',
    '*.example.com',
    '*.com',
    'EXAMPLE.com',
    'example.com.',
    `${LABEL}.example.com`,
    `${'a.'.repeat(126)}a`,
    '10.0.0.1',
    '1234',
    '1.2.3',
    '*.1.2.3.4',
    'xn--bcher-kva.example',
    'a_b.example.com',
    '*',
    '-a.example.com',
    'localhost',
    '0x7f.1',
    '[::1]',
    'a..b',
    ' ',
    'bücher.example',
  )

/** A duration of the Gateway API, or almost one. */
export const duration = ({ pick }: HostileChoices): string =>
  pick(
    '0s',
    '1ms',
    '10s',
    '9999h',
    '99999h99999m99999s99999ms',
    '1h30m',
    '0h0m',
    '1.5s',
    '10',
    '',
    '1us',
    '-1s',
  )

/** The name of a header, or almost one. */
export const headerName = ({ pick }: HostileChoices): string =>
  pick(
    'x-a',
    'X-A',
    'host',
    ':authority',
    'content-length',
    'transfer-encoding',
    'connection',
    'x_a',
    'x.a',
    "x!#$%&'*+-.^_`|~",
    'x a',
    '',
    'é',
    '__proto__',
    'constructor',
    'te',
    'upgrade',
    'x'.repeat(256),
  )

/** The value of a header, or almost one. */
export const headerValue = ({ pick }: HostileChoices): string =>
  pick('b', '', ' b ', 'a\r\nb: c', 'a\nb', 'a\0b', 'é', '€', 'x'.repeat(4096), '\t', '%{x}', '\u007f')

/** A path, in all spellings. */
export const path = ({ pick }: HostileChoices): string =>
  pick(
    '/',
    '/a',
    '/a/',
    '//a',
    'a',
    '',
    '/a/../b',
    '/a/./b',
    '/a%2Fb',
    '/a%2fb',
    '/a%5Cb',
    '/a\\b',
    '/%zz',
    '/a?b',
    '/a#b',
    '/é',
    '/a b',
    '/a;b=c',
    '/%41',
    `/${'a'.repeat(1023)}`,
    '/..',
    '/.',
    '/a/..',
    '/a%00',
  )

/** A regular expression, some of them too large or none. */
export const regex = ({ pick }: HostileChoices): string =>
  pick(
    '/a.*',
    '[',
    '(?=a)',
    '(?:[a-z]{1000}){2}',
    '/a{1000}',
    '',
    '.*',
    '\\C',
    '(?i)a',
    '^/a$',
    'a'.repeat(1025),
  )

const LABEL = 'a'.repeat(64)
