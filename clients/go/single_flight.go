package sinete

import (
	"context"
	"sync"
)

// A singleFlight runs at most one task at a time, whose outcome every caller gets. It goes on when the context of the caller
// that began it ends: otherwise clients that disconnect early could prevent it from ever finishing.
type singleFlight[T any] struct {
	mutex   sync.Mutex
	current *flightOutcome[T]
}

type flightOutcome[T any] struct {
	finished chan struct{}
	value    T
	err      error
}

func (flight *singleFlight[T]) do(ctx context.Context, task func(context.Context) (T, error)) (T, error) {
	flight.mutex.Lock()
	outcome := flight.current
	if outcome == nil {
		outcome = &flightOutcome[T]{finished: make(chan struct{})}
		flight.current = outcome
		go func(ctx context.Context) {
			outcome.value, outcome.err = task(ctx)
			flight.mutex.Lock()
			flight.current = nil
			flight.mutex.Unlock()
			close(outcome.finished)
		}(context.WithoutCancel(ctx))
	}
	flight.mutex.Unlock()
	select {
	case <-outcome.finished:
		return outcome.value, outcome.err
	case <-ctx.Done():
		var none T
		return none, &IssuerRequestError{"the request was cancelled", ctx.Err()}
	}
}
