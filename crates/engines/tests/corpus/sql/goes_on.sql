SELECT E'a'
'\'; COPY t TO PROGRAM $$id$$ --'