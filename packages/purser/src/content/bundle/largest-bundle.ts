/** A bundle's files may have this many bytes together. */
export const largestBundle = 256 * 1024 * 1024;
