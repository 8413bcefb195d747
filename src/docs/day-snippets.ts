/**
 * The code blocks of the page "What a day consists of". Together they are one program with pandas, which
 * `test/interop/readme.long.test.ts` runs against the demo. `withExample` fills in the placeholders in braces. The
 * printed numbers differ from day to day.
 */
import type { Snippet } from "./snippets.ts";

export const DAY = {
  day_fills: {
    language: "python",
    text: `import edgetape, pandas

client = edgetape.Client()  # EDGETAPE_KEY and EDGETAPE_URL
orders = client.orders("600519", "{whole_day}").to_df()
trades = client.trades("600519", "{whole_day}").to_df()

number = trades["buy_order_id"].value_counts().idxmax()  # the most fills
fills = trades[trades["buy_order_id"] == number]
rows = orders[orders["exchange_order_id"] == number]
print(len(fills), "fills of", fills["volume"].sum(), "shares,", len(rows), "order rows")`,
    prints: `61 fills of 46400 shares, 1 order rows`,
  },
  day_aggressors: {
    language: "python",
    text: `def big_orders(flag, number):
    amounts = trades[trades["bs_flag"] == flag].groupby(number)["amount"].sum()
    return amounts[amounts >= 1_000_000]

bought, sold = big_orders("B", "buy_order_id"), big_orders("S", "sell_order_id")
print(f"{len(bought)} buys and {len(sold)} sells of a million yuan or more")
print(f"bought {bought.sum():,.0f}, sold {sold.sum():,.0f} yuan")`,
    prints: `355 buys and 351 sells of a million yuan or more
bought 1,318,084,962, sold 1,459,739,711 yuan`,
  },
  day_quotes: {
    language: "python",
    text: `fields = "time,bid1,bid_vol1,ask1,ask_vol1"
minute = client.quotes("600519", "{whole_day}", "09:59", "10:00", fields)
print(minute.to_list()[-1])  # the end of a window is exclusive`,
    prints: `('095957000', 1469.09, 2500, 1469.1, 1400)`,
  },
  day_auction: {
    language: "python",
    needs: ["pyarrow"],
    text: `share = client.share("auction_tick", {whole_year})
share.download("auction", days=["{whole_day}"])
auction = pandas.read_parquet("auction/{whole_day}/{whole_day}_aucde.parquet")
curve = auction[(auction["symbol"] == "600519") & (auction["m_price"] > 0)]
print(curve[["time", "m_price", "auc_vol", "um_vol"]].tail(3).to_string(index=False))`,
    prints: `     time  m_price  auc_vol  um_vol
092451000  1468.92   150.03   14.97
092457000  1468.92   152.03   12.97
092500000  1468.89   290.00    1.00`,
  },
} as const satisfies Record<string, Snippet>;
