declare module 'unix-crypt-td-js' {
  /** The DES-based crypt(3): the salt in two characters, then eleven of hash. */
  function crypt(password: string, salt: string): string
  export = crypt
}
