/** The operation's `apiname`, which is also the interface its slot and counters belong to (spec 2.1, 8). */
export const ORDER_HISTORY = "level2_order_history";
