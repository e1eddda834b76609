/** Parses `HOST:PORT`, `[ADDRESS]:PORT` or `:PORT` (all addresses of the machine). `port` is undefined for invalid text. */
export function hostAndPort(address: string): readonly [host: string, port: number | undefined] {
  const [, bracketed, plain = "", digits = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(address) ?? [];
  const port = digits === "" || Number(digits) > 65_535 ? undefined : Number(digits);
  const host = bracketed ?? plain;
  return [host === "" && port !== undefined ? "0.0.0.0" : host, port];
}
