/** The bytes of an IPv4 or IPv6 address. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];
  readonly zone: string;
}

/**
 * Parses an address. `strict` refuses leading zeros in IPv4, IPv4-mapped IPv6 (`::ffff:1.2.3.4`) and zones, as the CEL
 * library does; `sloppy` accepts leading zeros, as Kubernetes' ParseIPSloppy does.
 */
export function parseIp(text: string, mode: "strict" | "sloppy"): IpAddress | undefined {
  if (!text.includes(":")) {
    const bytes = parseIpv4(text, mode);
    return bytes === undefined ? undefined : { family: 4, bytes, zone: "" };
  }
  const bytes = parseIpv6(text, mode);
  return bytes === undefined ? undefined : { family: 6, bytes, zone: "" };
}

function parseIpv4(text: string, mode: "strict" | "sloppy"): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^\d{1,}$/.test(part) || (mode === "strict" && part.length > 1 && part.startsWith("0"))) return undefined;
    const value = Number(part);
    if (value > 255) return undefined;
    bytes.push(value);
  }
  return bytes;
}

function parseIpv6(text: string, mode: "strict" | "sloppy"): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] ?? "", mode, halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] ?? "", mode, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function groups(text: string, mode: "strict" | "sloppy", last: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (last && index === parts.length - 1 && part.includes(".")) {
      const embedded = parseIpv4(part, mode);
      if (embedded === undefined) return undefined;
      bytes.push(...embedded);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

export function isMapped(ip: IpAddress): boolean {
  return (
    ip.family === 6 && ip.bytes.slice(0, 10).every((byte) => byte === 0) && ip.bytes[10] === 255 && ip.bytes[11] === 255
  );
}

/** The canonical text (RFC 5952). */
export function formatIp(ip: IpAddress): string {
  if (ip.family === 4) return ip.bytes.join(".");
  const words: number[] = [];
  for (let i = 0; i < 16; i += 2) words.push(((ip.bytes[i] ?? 0) << 8) | (ip.bytes[i + 1] ?? 0));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && words[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = (part: readonly number[]): string => part.map((word) => word.toString(16)).join(":");
  if (best.start < 0) return hex(words);
  return `${hex(words.slice(0, best.start))}::${hex(words.slice(best.start + best.length))}`;
}

/** A network: an address and the length of its prefix. */
export interface Cidr {
  readonly ip: IpAddress;
  readonly prefix: number;
}

export function parseCidr(text: string, mode: "strict" | "sloppy"): Cidr | undefined {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return undefined;
  const ip = parseIp(text.slice(0, slash), mode);
  const length = text.slice(slash + 1);
  if (ip === undefined || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefix = Number(length);
  return prefix > ip.bytes.length * 8 ? undefined : { ip, prefix };
}

/** The network's own address: host bits cleared. */
export function maskedIp(cidr: Cidr): IpAddress {
  const bytes = cidr.ip.bytes.map((byte, index) => {
    const bits = Math.min(8, Math.max(0, cidr.prefix - index * 8));
    return byte & ((0xff << (8 - bits)) & 0xff);
  });
  return { ...cidr.ip, bytes };
}

export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  if (cidr.ip.family !== ip.family) return false;
  const network = maskedIp(cidr).bytes;
  return maskedIp({ ip, prefix: cidr.prefix }).bytes.every((byte, index) => byte === network[index]);
}
