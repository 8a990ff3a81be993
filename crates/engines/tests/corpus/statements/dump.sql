--
-- PostgreSQL database dump
--
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TYPE public.mood AS ENUM ('sad', 'it''s ok', 'happy');
CREATE TABLE public.readings (
    room character varying(20) DEFAULT 'none'::character varying NOT NULL,
    "Time" timestamp with time zone NOT NULL,
    heat double precision CHECK (heat >= 0 AND heat < (100)),
    mood public.mood,
    amount numeric(10,2),
    tags text[],
    CONSTRAINT positive CHECK ((amount > (0)::numeric))
) PARTITION BY RANGE ("Time");
CREATE TABLE public.readings_1 PARTITION OF public.readings FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
ALTER TABLE ONLY public.readings ADD CONSTRAINT readings_pkey PRIMARY KEY (room, "Time");
COPY public.readings (room, "Time", heat) FROM stdin;
a	2026-01-01 00:00:00+00	20.5
b;'	\N	\N
\.
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN; RETURN NEW; END $body$;
-- name: newest
SELECT max("Time") AS newest FROM public.readings WHERE room = $1;
SELECT heat FROM readings WHERE heat BETWEEN 1 AND 5 AND mood IN ('sad', 'happy') ORDER BY "Time" DESC LIMIT 5;
