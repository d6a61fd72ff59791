package cnab

import "slices"

// Code is one value of a coded field and what it means, in Portuguese, the language of the files.
type Code struct{ Code, Text string }

// codeList is a table of codes in the standard's order.
type codeList []Code

func (l codeList) textOf(code string) (string, bool) {
	i := slices.IndexFunc(l, func(c Code) bool { return c.Code == code })
	if i < 0 {
		return "", false
	}
	return l[i].Text, true
}

// MovementText is the meaning of a movement code of T and U in Portuguese (standard note C044, retorno), or empty.
func MovementText(code string) string { t, _ := movements.textOf(code); return t }

// MotiveText is the meaning of a motive in Portuguese, or empty. It depends on the movement: the same two characters mean
// different things for a payment, a rejection and a fee (standard note C047).
func MotiveText(movement, code string) string { t, _ := motivesOf(movement).textOf(code); return t }

// motivesOf returns the motive table of a movement; nil when the standard has none for it.
func motivesOf(movement string) codeList {
	switch movement {
	case "02", "03", "26", "30":
		return entryMotives
	case "28":
		return feeMotives
	case "06", "09", "17":
		return settlementMotives
	}
	return nil
}

var movements = codeList{
	{"02", "entrada confirmada"},
	{"03", "entrada rejeitada"},
	{"04", "transferência de carteira: entrada"},
	{"05", "transferência de carteira: baixa"},
	{"06", "liquidação"},
	{"07", "instrução de desconto confirmada"},
	{"08", "cancelamento de desconto confirmado"},
	{"09", "baixa"},
	{"11", "título em carteira (em ser)"},
	{"12", "instrução de abatimento confirmada"},
	{"13", "cancelamento de abatimento confirmado"},
	{"14", "alteração de vencimento confirmada"},
	{"15", "franco de pagamento"},
	{"17", "liquidação após baixa ou título não registrado"},
	{"19", "instrução de protesto confirmada"},
	{"20", "sustação de protesto confirmada"},
	{"23", "remessa a cartório"},
	{"24", "retirada de cartório e manutenção em carteira"},
	{"25", "protestado e baixado"},
	{"26", "instrução rejeitada"},
	{"27", "alteração de outros dados confirmada"},
	{"28", "débito de tarifas ou custas"},
	{"29", "ocorrências do pagador"},
	{"30", "alteração de dados rejeitada"},
	{"33", "alteração dos dados do rateio confirmada"},
	{"34", "cancelamento do rateio confirmado"},
	{"35", "desagendamento do débito automático confirmado"},
	{"36", "envio de e-mail ou SMS confirmado"},
	{"37", "envio de e-mail ou SMS rejeitado"},
	{"38", "alteração da data limite de recebimento confirmada"},
	{"39", "dispensa da data limite de recebimento confirmada"},
	{"40", "alteração do número do título confirmada"},
	{"41", "alteração do número do participante confirmada"},
	{"42", "alteração dos dados do pagador confirmada"},
	{"43", "alteração dos dados do sacador avalista confirmada"},
	{"44", "título pago com cheque devolvido"},
	{"45", "título pago com cheque compensado"},
	{"46", "cancelamento de protesto confirmado"},
	{"47", "protesto para fins falimentares confirmado"},
	{"48", "transferência de carteira confirmada"},
	{"49", "alteração do contrato de cobrança confirmada"},
	{"50", "título pago com cheque pendente"},
	{"51", "título DDA reconhecido pelo pagador"},
	{"52", "título DDA não reconhecido pelo pagador"},
	{"53", "título DDA recusado pela central"},
	{"54", "baixa de título negativado confirmada"},
	{"55", "dispensa de multa confirmada"},
	{"56", "cobrança de multa confirmada"},
	{"57", "alteração de juros confirmada"},
	{"58", "alteração de desconto confirmada"},
	{"59", "alteração do beneficiário confirmada"},
	{"60", "dispensa de juros confirmada"},
	{"61", "alteração do valor nominal confirmada"},
	{"63", "título sustado judicialmente"},
	{"64", "alteração de valor ou percentual mínimo confirmada"},
	{"65", "alteração de valor ou percentual máximo confirmada"},
}

var settlementMotives = codeList{
	{"01", "por saldo"},
	{"02", "por conta"},
	{"03", "no guichê, em dinheiro"},
	{"04", "compensação eletrônica"},
	{"05", "compensação convencional"},
	{"06", "por meio eletrônico"},
	{"07", "após feriado local"},
	{"08", "em cartório"},
	{"09", "comandada pelo banco"},
	{"10", "comandada pelo cliente, arquivo"},
	{"11", "comandada pelo cliente, on-line"},
	{"12", "decurso de prazo, cliente"},
	{"13", "decurso de prazo, banco"},
	{"14", "protestado"},
	{"15", "título excluído"},
	{"30", "no guichê, em cheque"},
	{"31", "em banco correspondente"},
	{"32", "em terminal de autoatendimento"},
	{"33", "na internet"},
	{"34", "office banking"},
	{"35", "em correspondente, em dinheiro"},
	{"36", "em correspondente, em cheque"},
	{"37", "por telefone"},
}

var feeMotives = codeList{
	{"01", "extrato de posição"},
	{"02", "manutenção de título vencido"},
	{"03", "sustação"},
	{"04", "protesto"},
	{"05", "outras instruções"},
	{"06", "outras ocorrências"},
	{"08", "custas de protesto"},
	{"13", "tarifa de registro cobrada na baixa ou liquidação"},
	{"15", "tarifa de rateio"},
	{"17", "prorrogação de vencimento"},
	{"20", "impressão"},
}

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
	portfolios = codeList{
		{"1", "simples"},
		{"2", "vinculada"},
		{"3", "caucionada"},
		{"4", "descontada"},
		{"5", "vendor"},
		{"6", "cessão"},
	}
	currencies = codeList{{"09", "real"}}
	operations = codeList{
		{"C", "crédito"},
		{"D", "débito"},
		{"E", "extrato para conciliação"},
		{"G", "extrato para gestão de caixa"},
		{"I", "informações"},
		{"R", "remessa"},
		{"T", "retorno"},
	}
	services = codeList{
		{"01", "cobrança"},
		{"03", "boleto eletrônico"},
		{"04", "conciliação bancária"},
		{"05", "débitos"},
		{"07", "gestão de caixa"},
		{"20", "pagamento a fornecedores"},
		{"22", "tributos"},
		{"30", "salários"},
		{"98", "pagamentos diversos"},
	}
	entryForms = codeList{{"40", "extrato de conta corrente"}}
	signs      = codeList{{"C", "crédito"}, {"D", "débito"}}
	positions  = codeList{{"F", "final"}, {"P", "parcial"}, {"I", "intra-dia"}}
	natures    = codeList{{"DPV", "disponível"}, {"SCR", "vinculado"}, {"SSR", "bloqueado"}, {"CDS", "misto"}}
	exemptions = codeList{{"S", "isento"}, {"N", "não isento"}}
	splitBases = codeList{
		{"1", "sobre o valor cobrado"},
		{"2", "sobre o valor do registro"},
		{"3", "sobre o menor valor"},
	}
	splitTypes = codeList{{"1", "percentual"}, {"2", "valor"}}
)

// categories of statement entries: 1xx are debits, 2xx credits.
var categories = codeList{
	{"101", "cheques"},
	{"102", "encargos"},
	{"103", "estornos"},
	{"104", "lançamento avisado"},
	{"105", "tarifas"},
	{"106", "aplicação"},
	{"107", "empréstimo ou financiamento"},
	{"108", "câmbio"},
	{"109", "CPMF"},
	{"110", "IOF"},
	{"111", "imposto de renda"},
	{"112", "pagamento a fornecedores"},
	{"113", "salários"},
	{"114", "saque eletrônico"},
	{"115", "ações"},
	{"117", "transferência entre contas"},
	{"118", "devolução da compensação"},
	{"119", "devolução de cheque depositado"},
	{"120", "transferência interbancária"},
	{"121", "antecipação a fornecedores"},
	{"122", "OC/AEROPS"},
	{"123", "saque em dinheiro"},
	{"124", "cheque pago"},
	{"125", "pagamentos diversos"},
	{"126", "tributos"},
	{"127", "fatura de cartão da própria instituição"},
	{"201", "depósitos em cheque"},
	{"202", "crédito de cobrança"},
	{"203", "devolução de cheques"},
	{"204", "estornos"},
	{"205", "lançamento avisado"},
	{"206", "resgate de aplicação"},
	{"207", "empréstimo ou financiamento"},
	{"208", "câmbio"},
	{"209", "transferência interbancária (DOC, TED, Pix)"},
	{"210", "ações"},
	{"211", "dividendos"},
	{"212", "seguro"},
	{"213", "transferência entre contas"},
	{"214", "depósitos especiais"},
	{"215", "devolução da compensação"},
	{"216", "OCT"},
	{"217", "pagamento de fornecedores"},
	{"218", "pagamentos diversos"},
	{"219", "salário"},
	{"220", "depósito em dinheiro"},
	{"221", "tributos"},
	{"222", "recebíveis de cartão de crédito"},
}
