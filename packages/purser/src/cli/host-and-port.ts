import { networkInterfaces } from "node:os";

/** Parses `HOST:PORT`, `[ADDRESS]:PORT` or `:PORT` (all addresses of the machine). `port` is undefined for invalid text. */
export function hostAndPort(address: string): readonly [host: string, port: number | undefined] {
  const [, bracketed, plain = "", digits = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(address) ?? [];
  const port = digits === "" || Number(digits) > 65_535 ? undefined : Number(digits);
  const host = bracketed ?? plain;
  return [host === "" && port !== undefined ? everyAddress() : host, port];
}

/** A listener on `::` has the IPv4 addresses as well; where the kernel has no IPv6 there is no such address. */
function everyAddress(): "::" | "0.0.0.0" {
  const hasIpv6 = Object.values(networkInterfaces()).some((found) => found?.some(({ family }) => family === "IPv6"));
  return hasIpv6 ? "::" : "0.0.0.0";
}
