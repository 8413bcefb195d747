/** Who is at the other end, as far as the service needs to know: an address that cannot be read back. */

/** 64 bits are enough to tell addresses apart, and too few to be worth anything else. */
const HASH_DIGITS = 16;

const encoder = new TextEncoder();

export interface Caller {
  /** Hash of the network address; of an IPv6 address its first half counts, the rest is the household's own. */
  address: string;
  /** Hash of address and `User-Agent`: two programs at one address are two clients. */
  client: string;
}

/** The caller of a request with `headers`, hashed with `secret` so that nobody can list all addresses. */
export async function callerOf(headers: Pick<Headers, "get">, secret: string): Promise<Caller> {
  // Set by the platform and not to be forged; absent only where there is no edge in front.
  const address = networkOf(headers.get("CF-Connecting-IP") ?? "");
  const [hashed, client] = await Promise.all([
    keyedHash(secret, `address ${address}`),
    keyedHash(secret, `client ${address} ${headers.get("User-Agent") ?? ""}`),
  ]);
  return { address: hashed.slice(0, HASH_DIGITS), client: client.slice(0, HASH_DIGITS) };
}

/** HMAC-SHA-256 of `message` as 64 hex digits. */
export async function keyedHash(secret: string, message: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, encoder.encode(message))).toString("hex");
}

/**
 * What stands for one subscriber: an IPv4 address, or the /64 of an IPv6 address.
 *
 * @example networkOf("2001:db8::1") // "2001:db8:0:0"
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groupsOf = (text: string) => text.split(":").filter((group) => group !== "");
  const front = groupsOf(head);
  const back = groupsOf(tail ?? "");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array<string>(missing).fill("0"), ...back];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
