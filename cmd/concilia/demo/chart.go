package demo

// Chart is the chart of accounts of the demo's accounting office, whose journal each set of the movement has.
const Chart = `# Written by concilia demo: the accounts of an accounting office, by what they are for.
method: accrual
grain: day
roles:
  receivable: {code: "1105", path: "Assets:Cartoes"}
  service: {code: "1106", path: "Assets:Operadora"}
  claims: {code: "1107", path: "Assets:Reclamado"}
  bank: {code: "1110", path: "Assets:Banco"}
  slip_receivable: {code: "1108", path: "Assets:Boletos"}
  slip_transit: {code: "1109", path: "Assets:BoletosEmTransito"}
  excess: {code: "2104", path: "Liabilities:ADevolver"}
  split_payable: {code: "2105", path: "Liabilities:Splits"}
  opening: {code: "2901", path: "Equity:Anterior"}
  sales: {code: "3101", path: "Income:Vendas"}
  slip_sales: {code: "3102", path: "Income:VendasPorBoleto"}
  slip_charges: {code: "3103", path: "Income:JurosDeBoletos"}
  returns: {code: "3105", path: "Income:Devolucoes"}
  chargebacks: {code: "3106", path: "Income:Chargebacks"}
  mdr: {code: "4301", path: "Expenses:MDR"}
  transaction_fee: {code: "4302", path: "Expenses:Tarifas"}
  antifraud_fee: {code: "4303", path: "Expenses:Antifraude"}
  anticipation: {code: "4304", path: "Expenses:Antecipacao"}
  slip_tariff: {code: "4305", path: "Expenses:TarifasDeBoletos"}
  bank_tariffs: {code: "4307", path: "Expenses:TarifasNoBanco"}
  loss: {code: "4308", path: "Expenses:Perdas"}
  slip_discount: {code: "4306", path: "Expenses:DescontosDeBoletos"}
  split_cost: {code: "4310", path: "Expenses:Splits"}
`
