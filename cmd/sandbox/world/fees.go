package world

import (
	"errors"
	"math/big"
)

// mdrOf is the contract's MDR for a sale of n installments.
func mdrOf(debit bool, n int) Rate {
	switch {
	case debit:
		return mdrDebit
	case n == 1:
		return mdr1
	case n <= 6:
		return mdr2to6
	}
	return mdr7to12
}

// feeSet are what one installment loses before anticipation.
type feeSet struct {
	rate                Rate
	mdr, trn, antifraud Money
}

// feesOf applies the contract to one installment's gross.
func feesOf(debit bool, n int, gross Money) feeSet {
	f := feeSet{rate: mdrOf(debit, n), trn: trnFee, antifraud: antifraudFee}
	if debit {
		f.trn, f.antifraud = 0, 0
	}
	f.mdr = percentOf(gross, f.rate)
	return f
}

// Simulate is what the settlement simulator answers for each of 1 to 12 installments: the gross to charge
// for the net to come out, net ÷ ((1 − MDR) × (1 − anticipation × (n+1)/2)), to cents half away from zero.
// It reproduces the documented sample (visa, net 1000) to the cent. The net must be positive.
func Simulate(net Money) ([12]Money, error) {
	var out [12]Money
	if net <= 0 {
		return out, errors.New("net value must be positive")
	}
	const one = 1_000_000 // 100 %, in ten-thousandths of a percent
	for i := range out {
		n := int64(i + 1)
		num := new(big.Int).Mul(big.NewInt(int64(net)), big.NewInt(one*2*one))
		den := new(big.Int).Mul(big.NewInt(one-int64(mdrOf(false, i+1))), big.NewInt(2*one-int64(anticipation)*(n+1)))
		den.Mul(den, big.NewInt(int64(cent)))
		num.Add(num, new(big.Int).Rsh(den, 1))
		out[i] = cent * Money(num.Div(num, den).Int64())
	}
	return out, nil
}
