package cnab

// entryMotives explain entries, rejections and refused changes (movements 02, 03, 26 and 30).
var entryMotives = codeList{
	{"01", "código do banco inválido"},
	{"02", "código do registro detalhe inválido"},
	{"03", "código do segmento inválido"},
	{"04", "movimento não permitido para a carteira"},
	{"05", "código de movimento inválido"},
	{"06", "inscrição do beneficiário inválida"},
	{"07", "agência ou conta inválida"},
	{"08", "nosso número inválido"},
	{"09", "nosso número duplicado"},
	{"10", "carteira inválida"},
	{"16", "data de vencimento inválida"},
	{"17", "vencimento anterior à emissão"},
	{"18", "vencimento fora do prazo"},
	{"20", "valor do título inválido"},
	{"21", "espécie do título inválida"},
	{"24", "data de emissão inválida"},
	{"26", "código de juros inválido"},
	{"27", "valor ou taxa de juros inválido"},
	{"28", "código de desconto inválido"},
	{"29", "desconto maior ou igual ao valor do título"},
	{"30", "desconto a conceder não confere"},
	{"33", "valor do abatimento inválido"},
	{"34", "abatimento maior ou igual ao valor do título"},
	{"37", "código de protesto inválido"},
	{"38", "prazo de protesto inválido"},
	{"39", "protesto não permitido para o título"},
	{"42", "código de baixa inválido"},
	{"43", "prazo de baixa inválido"},
	{"44", "moeda inválida"},
	{"45", "nome do pagador não informado"},
	{"46", "inscrição do pagador inválida"},
	{"47", "endereço do pagador não informado"},
	{"48", "CEP inválido"},
	{"49", "CEP sem praça de cobrança"},
	{"51", "CEP incompatível com a UF"},
	{"52", "UF inválida"},
	{"53", "inscrição do sacador avalista inválida"},
	{"54", "sacador avalista não informado"},
	{"57", "código de multa inválido"},
	{"58", "data de multa inválida"},
	{"59", "valor ou percentual de multa inválido"},
	{"60", "título não encontrado"},
	{"63", "título já registrado"},
	{"86", "seu número inválido"},
	{"A4", "pagador DDA"},
	{"A5", "título já liquidado"},
	{"A6", "convênio inválido ou encerrado"},
	{"A7", "título já na situação pretendida"},
}

var (
	taxIDKinds = codeList{{"0", "não informado"}, {"1", "CPF"}, {"2", "CNPJ"}}
	directions = codeList{{"1", "remessa"}, {"2", "retorno"}}
	portfolios = codeList{{"1", "simples"}, {"2", "vinculada"}, {"3", "caucionada"}, {"4", "descontada"},
		{"5", "vendor"}, {"6", "cessão"}}
	currencies = codeList{{"09", "real"}}
	operations = codeList{{"C", "crédito"}, {"D", "débito"}, {"E", "extrato para conciliação"},
		{"G", "extrato para gestão de caixa"}, {"I", "informações"}, {"R", "remessa"}, {"T", "retorno"}}
	services = codeList{{"01", "cobrança"}, {"03", "boleto eletrônico"}, {"04", "conciliação bancária"},
		{"05", "débitos"}, {"07", "gestão de caixa"}, {"20", "pagamento a fornecedores"}, {"22", "tributos"},
		{"30", "salários"}, {"98", "pagamentos diversos"}}
	entryForms = codeList{{"40", "extrato de conta corrente"}}
	signs      = codeList{{"C", "crédito"}, {"D", "débito"}}
	positions  = codeList{{"F", "final"}, {"P", "parcial"}, {"I", "intra-dia"}}
	natures    = codeList{{"DPV", "disponível"}, {"SCR", "vinculado"}, {"SSR", "bloqueado"}, {"CDS", "misto"}}
	exemptions = codeList{{"S", "isento"}, {"N", "não isento"}}
	splitBases = codeList{{"1", "sobre o valor cobrado"}, {"2", "sobre o valor do registro"},
		{"3", "sobre o menor valor"}}
	splitTypes = codeList{{"1", "percentual"}, {"2", "valor"}}
)

// categories of statement entries: 1xx are debits, 2xx credits.
var categories = codeList{
	{"101", "cheques"}, {"102", "encargos"}, {"103", "estornos"}, {"104", "lançamento avisado"}, {"105", "tarifas"},
	{"106", "aplicação"}, {"107", "empréstimo ou financiamento"}, {"108", "câmbio"}, {"109", "CPMF"}, {"110", "IOF"},
	{"111", "imposto de renda"}, {"112", "pagamento a fornecedores"}, {"113", "salários"}, {"114", "saque eletrônico"},
	{"115", "ações"}, {"117", "transferência entre contas"}, {"118", "devolução da compensação"},
	{"119", "devolução de cheque depositado"}, {"120", "transferência interbancária"},
	{"121", "antecipação a fornecedores"}, {"122", "OC/AEROPS"}, {"123", "saque em dinheiro"}, {"124", "cheque pago"},
	{"125", "pagamentos diversos"}, {"126", "tributos"}, {"127", "fatura de cartão da própria instituição"},
	{"201", "depósitos em cheque"}, {"202", "crédito de cobrança"}, {"203", "devolução de cheques"}, {"204", "estornos"},
	{"205", "lançamento avisado"}, {"206", "resgate de aplicação"}, {"207", "empréstimo ou financiamento"},
	{"208", "câmbio"}, {"209", "transferência interbancária (DOC, TED, Pix)"}, {"210", "ações"}, {"211", "dividendos"},
	{"212", "seguro"}, {"213", "transferência entre contas"}, {"214", "depósitos especiais"},
	{"215", "devolução da compensação"}, {"216", "OCT"}, {"217", "pagamento de fornecedores"},
	{"218", "pagamentos diversos"}, {"219", "salário"}, {"220", "depósito em dinheiro"}, {"221", "tributos"},
	{"222", "recebíveis de cartão de crédito"},
}
