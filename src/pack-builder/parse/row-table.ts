/** The rows of one chunk as flat columns, in the order of the file, securities mixed. Reused from chunk to chunk. */

export class RowTable {
  rows = 0;
  /** `securityKey` of every row. */
  security = new Int32Array(0);
  time = new Int32Array(0);
  orderId = new Float64Array(0);
  exchangeOrderId = new Float64Array(0);
  /** Numbers of the parser's code tables. */
  orderType = new Uint16Array(0);
  orderCode = new Uint16Array(0);
  priceE4 = new Float64Array(0);
  volume = new Float64Array(0);
  sequence = new Float64Array(0);

  clear(): void {
    this.rows = 0;
  }

  /** Makes room for one more row. */
  reserve(): void {
    if (this.rows < this.time.length) return;
    const capacity = Math.max(4096, this.time.length * 2);
    this.security = grown(this.security, new Int32Array(capacity));
    this.time = grown(this.time, new Int32Array(capacity));
    this.orderId = grown(this.orderId, new Float64Array(capacity));
    this.exchangeOrderId = grown(this.exchangeOrderId, new Float64Array(capacity));
    this.orderType = grown(this.orderType, new Uint16Array(capacity));
    this.orderCode = grown(this.orderCode, new Uint16Array(capacity));
    this.priceE4 = grown(this.priceE4, new Float64Array(capacity));
    this.volume = grown(this.volume, new Float64Array(capacity));
    this.sequence = grown(this.sequence, new Float64Array(capacity));
  }
}

function grown<T extends Int32Array | Float64Array | Uint16Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
