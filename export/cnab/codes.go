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

// MovementText is what a movement code of T and U means (standard note C044, retorno), or empty.
func MovementText(code string) string { t, _ := movements.textOf(code); return t }

// MotiveText is what a motive means under that movement, or empty: the same two characters mean other things
// after a payment, a rejection and a fee (standard note C047).
func MotiveText(movement, code string) string { t, _ := motivesOf(movement).textOf(code); return t }

// motivesOf is the motive table of a movement; nil when the standard gives it none.
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
