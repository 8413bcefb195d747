/**
 * The code blocks of the tutorial. Together they are one program with pandas, which `test/interop/readme.long.test.ts`
 * runs against the demo. `withExample` fills in the placeholders in braces. The output differs from day to day.
 */
import type { Snippet } from "./snippets.ts";

export const TUTORIAL = {
  tutorial_demo: {
    language: "sh",
    text: `npm ci && npm start`,
  },
  tutorial_setup: {
    language: "sh",
    text: `export EDGETAPE_URL={base}
export EDGETAPE_KEY=$(node -p 'require("./.edgetape/demo.json").keys.flagship')
python3 -m venv .venv && . .venv/bin/activate
pip install ./src/client/python pandas`,
  },
  tutorial_choose: {
    language: "python",
    text: `import datetime
import edgetape, pandas

client = edgetape.Client()  # EDGETAPE_KEY and EDGETAPE_URL
last = "{whole_day}"
first = datetime.datetime.strptime(last, "%Y%m%d") - datetime.timedelta(days=9)
busiest = sorted(client.symbols(last), key=lambda each: -each["rows"])[:12]
symbols = [each["symbol"] for each in busiest]
basket = client.orders(
    symbols, first, last,
    fields="symbol,tradedate,time,order_type,order_code,price,volume",
)
print(basket.plan())`,
    prints: `36 security days on 3 days: 314,853 rows in 48 requests,
unlimited requests: done today;
sync takes 36 files instead (300 left)`,
  },
  tutorial_read: {
    language: "python",
    text: `frame = basket.to_df()
print(frame.dtypes["time"], len(frame) == basket.row_count)`,
    prints: `datetime64[ns] True`,
  },
  tutorial_clean: {
    language: "python",
    text: `is_new = frame["order_type"].isin(["A", "0", "1", "U"])  # no cancels, no phases
minute = frame["time"].dt.strftime("%H%M")
opening = frame[is_new & minute.between("0930", "0959")]  # both minutes included
print(sorted(opening["order_code"].unique()))`,
    prints: `['B', 'S']`,
  },
  tutorial_factor: {
    language: "python",
    text: `def volume_of(code):
    orders = opening[opening["order_code"] == code]
    return orders.groupby(["symbol", "tradedate"])["volume"].sum()

buy, sell = volume_of("B"), volume_of("S")
factor = ((buy - sell) / (buy + sell)).rename("imbalance")
print(factor.xs(last, level="tradedate").sort_values().tail(3).round(3))`,
    prints: `symbol
000333    0.072
002594    0.124
000858    0.225
Name: imbalance, dtype: float64`,
  },
  tutorial_return: {
    language: "python",
    text: `trades = client.trades(
    symbols, first, last, start="10:00",
    fields="symbol,tradedate,time,trade_code,volume,amount",
).to_df()
fills = trades[trades["trade_code"] != "C"]  # without Shenzhen's cancels
traded_at = fills["time"].dt.strftime("%H%M")

def price_in(begin, end):  # the average by volume
    window = fills[traded_at.between(begin, end)].groupby(["symbol", "tradedate"])
    return window["amount"].sum() / window["volume"].sum()

later = (price_in("1450", "1456") / price_in("1000", "1004") - 1).rename("later")
both = pandas.concat([factor, later], axis=1).dropna()
print(len(both), "observations")`,
    prints: `36 observations`,
  },
  tutorial_test: {
    language: "python",
    text: `ranks = both.groupby(level="tradedate").rank()  # within each day
by_day = ranks.groupby(level="tradedate")
ic = by_day.apply(lambda day: day["imbalance"].corr(day["later"]))
print(f"{len(ic)} days, mean rank IC {ic.mean():+.2f}")`,
    prints: `3 days, mean rank IC -0.15`,
  },
  tutorial_cost: {
    language: "python",
    text: `window = {"start": "09:59", "end": "10:00", "fields": "symbol,bid1,ask1"}
book = client.quotes(symbols, last, last, **window).to_df()
book = book[(book["bid1"] > 0) & (book["ask1"] > 0)]  # 0: a side without orders
spread = (book["ask1"] / book["bid1"] - 1).groupby(book["symbol"]).median()
print(f"half the median spread: {spread.median() / 2:.4%}")`,
    prints: `half the median spread: 0.0114%`,
  },
  tutorial_keep: {
    language: "python",
    text: `both.to_csv("factor.csv")
print({change["kind"] for change in client.changes(since=last)})`,
    prints: `{'published'}`,
  },
} as const satisfies Record<string, Snippet>;
