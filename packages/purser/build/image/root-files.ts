import { compareBytes } from "@purser/kubernetes/text/documents";

/** One thing in the image's file system; directories are added as they are needed. */
export type RootFile =
  | { readonly path: string; readonly kind: "file"; readonly bytes: Uint8Array; readonly executable?: boolean }
  | { readonly path: string; readonly kind: "link"; readonly target: string }
  | { readonly path: string; readonly kind: "directory"; readonly mode: number };

/** The user and group of the process; a number, so that a kubelet can see that it is not root. */
export const userId = 65532;

const text = (path: string, ...lines: readonly string[]): RootFile => ({
  path,
  kind: "file",
  bytes: new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")),
});

/** What a process expects beside programs: users, how names are looked up, directories to write to, and the merged `/usr` of Debian. */
export const systemFiles: readonly RootFile[] = [
  text(
    "etc/passwd",
    "root:x:0:0:root:/root:/usr/sbin/nologin",
    `nonroot:x:${userId}:${userId}:nonroot:/tmp:/usr/sbin/nologin`,
  ),
  text("etc/group", "root:x:0:", `nonroot:x:${userId}:`),
  text("etc/nsswitch.conf", "passwd: files", "group: files", "hosts: files dns"),
  // Mount points: not every runtime can create them in a read-only file system.
  ...["dev", "proc", "sys"].map((path): RootFile => ({ path, kind: "directory", mode: 0o755 })),
  { path: "lib", kind: "link", target: "usr/lib" },
  { path: "lib64", kind: "link", target: "usr/lib64" },
  { path: "tmp", kind: "directory", mode: 0o1777 },
  { path: "var/cache/purser", kind: "directory", mode: 0o1777 },
];

/** What of a Debian package is kept: libraries, licences, certificates, time zones, what the system calls itself. */
export function isKept(path: string, libraries: ReadonlySet<string>): boolean {
  const [name = ""] = path.split("/").slice(-1);
  if (/^(usr\/)?lib(64)?\//.test(path)) return libraries.has(name) || path === "usr/lib/os-release";
  if (path.startsWith("usr/share/zoneinfo/")) return !/^usr\/share\/zoneinfo\/(posix|right)\//.test(path);
  return (
    path.startsWith("usr/share/ca-certificates/") ||
    /^usr\/share\/doc\/[^/]+\/copyright$/.test(path) ||
    path === "etc/os-release"
  );
}

/** The bundle that programs read, of all certificates of the package; `update-ca-certificates` would write the same on an installation. */
export function certificateBundle(files: readonly RootFile[]): RootFile {
  const held = files
    .flatMap((file) => (file.kind === "file" && /^usr\/share\/ca-certificates\/.*\.crt$/.test(file.path) ? [file] : []))
    .toSorted((a, b) => compareBytes(a.path, b.path));
  const lines = held.map(({ bytes }) => new TextDecoder().decode(bytes).trim());
  return text("etc/ssl/certs/ca-certificates.crt", ...lines);
}
