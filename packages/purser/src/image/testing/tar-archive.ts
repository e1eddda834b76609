/** An entry as its header says it, so that tests can write what no tool would. */
export interface RawEntry {
  readonly name: string | Buffer;
  /** `0` file, `1` hard link, `2` symlink, `5` directory, `L` long name, `x` PAX, ...; `0` by default. */
  readonly flag?: string;
  readonly body?: string | Buffer;
  /** What the header says; by default the bytes of the body. */
  readonly size?: number | string;
  readonly link?: string;
  /** Other bytes of the header, by their place. */
  readonly patch?: Readonly<Record<number, Buffer>>;
}

/** A tar archive of the entries with its trailer. */
export function tarArchive(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);
}

/** One header with its body and padding. */
export function tarEntry({ name, flag = "0", body = "", size, link = "", patch = {} }: RawEntry): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(512);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(
    typeof size === "string" ? size : `${(size ?? bytes.length).toString(8).padStart(11, "0")}\0`,
    124,
    "latin1",
  );
  header.write("00000000000\0", 136);
  header.write(flag, 156, "latin1");
  header.write(link, 157, 100);
  header.write("ustar\u000000", 257, "latin1");
  for (const [at, part] of Object.entries(patch)) part.copy(header, Number(at));
  return Buffer.concat([sealed(header), bytes, Buffer.alloc(-bytes.length & 511)]);
}

/** PAX records before an entry. */
export function paxEntry(records: Readonly<Record<string, string>>, flag: "x" | "g" = "x"): RawEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const length = Buffer.byteLength(` ${key}=${value}\n`);
    const digits = String(length + String(length).length).length;
    return `${length + digits} ${key}=${value}\n`;
  });
  return { name: "PaxHeaders/entry", flag, body: lines.join("") };
}

function sealed(header: Buffer): Buffer {
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
