package bakeoff.clock;

import org.apache.cassandra.utils.Clock;

/** A clock of Cassandra that is wrong by the milliseconds in a property of the system. */
public final class ShiftedClock implements Clock {
    private static final long AHEAD_MS = Long.getLong("bakeoff.clock.ahead_ms", 0L);

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis() + AHEAD_MS;
    }
}
